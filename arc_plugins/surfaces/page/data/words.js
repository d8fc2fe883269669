// Figures and failures in people's words.

const FAILURES = {
  AUTHENTICATION: "The model's vendor does not accept the key of this server.",
  CANCELLED: "This run was stopped.",
  CONTEXT_TOO_LONG: "The conversation has become too long for the model.",
  GUARD_REJECTED: "This request is not allowed.",
  HOOK_REJECTED: "This request is not allowed.",
  LIMIT_REACHED: "The run has reached its limit.",
  OUTPUT_REJECTED: "The answer is not allowed to be shown.",
  OVERLOADED: "Too much is asked at the moment. Try again soon.",
  RATE_LIMITED: "That was too much at once. Try again in a while.",
  REFUSED: "The model declined to answer.",
  TIMEOUT: "This took too long.",
  UNAVAILABLE: "The model does not answer at the moment. Try again soon.",
};

/** What a run that failed says: the server's words, which fit its language, else ours. */
export function failureOf({ error_code: code, error_message: message }) {
  return message || FAILURES[code] || "This did not work.";
}

const OUTCOMES = {
  blocked: "blocked",
  denied: "denied",
  failed: "failed",
  interrupted: "interrupted",
  invalid_arguments: "arguments do not fit",
  limit_reached: "limit reached",
  not_found: "no such tool",
  success: "done",
  timed_out: "timed out",
};

export function outcomeOf(name) {
  return OUTCOMES[name] ?? name;
}

export function duration(ms) {
  if (ms < 1) return "under 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** A time that may be long, to two places. */
export function span(ms) {
  const hours = Math.floor(ms / 3_600_000);
  if (hours >= 48) return `${Math.floor(hours / 24)} days ${hours % 24} h`;
  if (hours) return `${hours} h ${Math.floor((ms % 3_600_000) / 60_000)} min`;
  return duration(ms);
}

/** Who answered, and what it took. */
export function factsOf(result) {
  const facts = [result.model, result.provider && result.provider !== result.model ? result.provider : null];
  const usage = result.token_usage;
  if (usage) facts.push(`${count(usage.prompt_tokens ?? 0)} tokens in, ${count(usage.completion_tokens ?? 0)} out`);
  if (result.cost !== null && result.cost !== undefined) facts.push(`cost ${cost(result.cost)}`);
  if (result.cache_hit) facts.push("from the cache");
  facts.push(duration(result.duration_ms ?? 0));
  return facts.filter(Boolean);
}

/** The vendor's currency is the settings' business; the figure has as many digits as it needs. */
export function cost(text) {
  const value = Number(text);
  return value >= 0.01 || value === 0 ? value.toFixed(2) : value.toPrecision(2);
}

/** A part of a whole. */
export function share(value) {
  return `${Math.round(value * 100)} %`;
}

export function count(number) {
  return number.toLocaleString("en");
}

export function counted(number, noun) {
  const plural = noun.endsWith("s") ? `${noun}es` : `${noun}s`;
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

const AGES = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
];

/** How long ago, or how soon. */
export function relative(date, now = Date.now()) {
  const seconds = Math.round((new Date(date).getTime() - now) / 1000);
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const [length, unit] of AGES) {
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? "in a moment" : "just now";
}

/** JSON as people read it; what is not JSON stays as it is. */
export function pretty(value) {
  try {
    return JSON.stringify(typeof value === "string" ? JSON.parse(value) : value, null, 2);
  } catch {
    return String(value);
  }
}

/** What was done to make room in the window of the model. */
export function roomMade({ cleared, dropped, tokens_before: before, tokens_after: after }) {
  const done = [];
  if (cleared) done.push(`${counted(cleared, "result")} cleared`);
  if (dropped) done.push(`${counted(dropped, "exchange")} left out`);
  return `Room was made in the window, ${count(before)} to ${count(after)} tokens: ${done.join(", ")}`;
}
