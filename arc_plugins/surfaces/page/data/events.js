// The events of a run, also across lost connections. EventSource cannot send a key, so this reads
// the stream of an ordinary request.

import { ApiError } from "./api.js";

const RETRY_MS = [300, 1000, 2000, 4000, 8000, 8000];

/**
 * The events of a run until its end, or until it waits for a person.
 *
 * A request that was lost is made again, and goes on after the last event that came.
 *
 * @param {Api} api
 * @param {Object} options
 * @param {string} options.runId
 * @param {Object} [options.command] Begins the run; else it is read.
 * @param {string} [options.after] The id of the last event that is there already.
 * @param {AbortSignal} [options.signal]
 * @param {function(boolean)} [options.onConnection] Told when the connection is lost and back.
 * @yields {{id: string, name: string, data: Object}}
 */
export async function* readRun(api, { runId, command, after = "", signal, onConnection = () => {} }) {
  let last = after;
  for (let attempt = 0; ; ) {
    try {
      const response = await (command && !last ? begin(api, command, runId, signal) : readOn(api, runId, last, signal));
      onConnection(true);
      for await (const frame of frames(response.body)) {
        attempt = 0;
        last = frame.id || last;
        yield frame;
        if (frame.name === "done") return;
      }
    } catch (error) {
      if (!mayPass(error) || signal?.aborted) throw error;
    }
    if (attempt >= RETRY_MS.length) throw new ApiError("The connection was lost, and does not come back.");
    onConnection(false);
    await pause(RETRY_MS[attempt++], signal);
  }
}

function begin(api, command, runId, signal) {
  const body = { ...command, respond: "stream", run_id: runId };
  return api.request("api/runs", { method: "POST", body, signal, accept: "text/event-stream" });
}

function readOn(api, runId, last, signal) {
  const path = `api/runs/${encodeURIComponent(runId)}/events`;
  return api.request(path, { lastEventId: last, signal, accept: "text/event-stream" });
}

/** Whether it may be better in a moment: the way was cut, or a proxy found no server. */
function mayPass(error) {
  if (error instanceof ApiError) return error.status === 0 || error.status === 502 || error.status === 504;
  return error instanceof TypeError;
}

/** Server-sent events of a body; those without data, such as comments, are left out. */
export async function* frames(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + value).split(/\r?\n\r?\n/);
      rest = parts.pop();
      for (const part of parts) {
        const frame = frameOf(part);
        if (frame) yield frame;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function frameOf(text) {
  const fields = { id: "", event: "message", data: [] };
  for (const line of text.split(/\r?\n/)) {
    const [, name, value] = /^([a-z]+): ?(.*)$/s.exec(line) ?? [];
    if (name === "data") fields.data.push(value);
    else if (name in fields) fields[name] = value;
  }
  if (!fields.data.length) return null;
  return { id: fields.id, name: fields.event, data: JSON.parse(fields.data.join("\n")) };
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("stopped", "AbortError"));
    });
  });
}
