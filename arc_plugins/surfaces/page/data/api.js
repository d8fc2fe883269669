// The server, as the page asks it. The key stays in this tab, and goes when the tab is closed.

const KEY = "arc.key";
const USER = "arc.user";

/** What the server, or the way to it, has said. Its message is for people. */
export class ApiError extends Error {
  constructor(message, { status = 0, code = "" } = {}) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** Whether another key or user might help. */
  get isRefusal() {
    return this.status === 401 || this.code === "not_permitted";
  }
}

const AWAY = "The server does not answer. Is it running, and are you connected?";

export class Api {
  get key() {
    return sessionStorage.getItem(KEY) ?? "";
  }

  get user() {
    return sessionStorage.getItem(USER) ?? "";
  }

  /** Take a key and a user for what is asked from now on. */
  signIn(key, user) {
    keep(KEY, key);
    keep(USER, user);
  }

  /** The JSON of an answer; `also` are statuses that are answers as well. */
  async get(path, query = {}, { also = [] } = {}) {
    return (await this.request(withQuery(path, query), { also })).json();
  }

  /** The JSON of an answer and its version; null if the version is known. */
  async getNew(path, query, known) {
    const response = await this.request(withQuery(path, query), { known, also: [304] });
    if (response.status === 304) return null;
    return { value: await response.json(), version: response.headers.get("etag") ?? "" };
  }

  async post(path, body = {}) {
    return (await this.request(path, { method: "POST", body })).json();
  }

  async delete(path, query = {}) {
    await this.request(withQuery(path, query), { method: "DELETE" });
  }

  /** What names the user of a request; nothing if the key says it. */
  get ofUser() {
    return this.user ? { user_id: this.user } : {};
  }

  /**
   * An answer whose head is there.
   *
   * @throws {ApiError} It is a refusal, or there is none.
   */
  async request(path, { method = "GET", body, lastEventId, known, signal, accept = "application/json", also = [] } = {}) {
    const headers = { accept };
    if (this.key) headers.authorization = `Bearer ${this.key}`;
    if (body !== undefined) headers["content-type"] = "application/json";
    if (known) headers["if-none-match"] = known;
    if (lastEventId) headers["last-event-id"] = lastEventId;
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const response = await ask(path, { method, headers, body: sent, signal, cache: "no-store" });
    if (!response.ok && !also.includes(response.status)) throw await problemOf(response);
    return response;
  }
}

async function ask(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(AWAY);
  }
}

async function problemOf(response) {
  const { status } = response;
  try {
    const { error } = await response.json();
    return new ApiError(error.message || `The server refused this (${status}).`, { status, code: error.code });
  } catch {
    return new ApiError(`The server refused this (${status}).`, { status });
  }
}

/** A path with what is asked of it. */
export function withQuery(path, query) {
  const text = new URLSearchParams(query).toString();
  return text ? `${path}?${text}` : path;
}

function keep(name, value) {
  if (value) sessionStorage.setItem(name, value);
  else sessionStorage.removeItem(name);
}

/** An id that nobody guesses; `crypto.randomUUID` is for secure origins only. */
export function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
