// Fields for the properties of a JSON Schema. What they cannot check, the server does.

import { el } from "./dom.js";
import { isolated, plain } from "./text.js";

const INPUTS = new Map([["date", "date"], ["email", "email"], ["uri", "url"]]);
const LONG_CHARS = 200;

let made = 0;

/**
 * @param {Object} schema Of an object.
 * @param {Object} options `isWhole`: if no property is named, one field takes the whole answer as JSON.
 */
export function fieldsOf(schema, { isWhole }) {
  const properties = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required ?? []);
  if (properties.length) return properties.map(([name, of]) => field(name, Object(of), required.has(name)));
  if (!isWhole || schema.additionalProperties === false) return [];
  return [{ ...field("Answer", { default: {}, description: "A JSON object." }, true), isWhole: true }];
}

/** The values of fields; null if one has a problem, which it shows, and the first of them the focus. */
export function readFields(fields) {
  const found = fields.map((each) => [each, each.read()]);
  const wrong = fields.find((each) => each.hasProblem());
  if (wrong) {
    wrong.focus();
    return null;
  }
  const whole = found.find(([each]) => each.isWhole);
  if (whole) return whole[1];
  return Object.fromEntries(found.filter(([, value]) => value !== undefined).map(([each, value]) => [each.name, value]));
}

function field(name, schema, isRequired) {
  const id = `field-${(made += 1)}`;
  const { input, parse } = controlOf(schema, isRequired);
  const about = schema.description ? el("span", { class: "field-about", id: `${id}-about`, dir: "auto" }, isolated(schema.description)) : null;
  const problem = el("span", { class: "field-problem", id: `${id}-problem`, hidden: true });
  const hidden = hiddenIn(schema.default);
  const isCheck = input.type === "checkbox";
  const optional = isRequired || isCheck ? null : el("span", { class: "muted" }, " optional");
  const label = el("label", { for: id }, isolated(schema.title ?? name, { class: "field-name" }), optional);
  input.id = id;
  input.setAttribute("aria-describedby", [about?.id, problem.id].filter(Boolean).join(" "));
  if (isRequired && !isCheck) input.setAttribute("aria-required", "true");

  function read() {
    let value, wrong = "";
    try {
      value = parse();
      if (value === undefined && isRequired) wrong = "Fill this in.";
    } catch (error) {
      wrong = error.message;
    }
    problem.textContent = wrong;
    problem.hidden = !wrong;
    input.setAttribute("aria-invalid", String(Boolean(wrong)));
    return value;
  }

  const parts = isCheck ? [el("div", { class: "check" }, input, label), about] : [label, about, input];
  return { name, element: el("div", { class: "field" }, ...parts, hidden, problem), read, hasProblem: () => !problem.hidden, focus: () => input.focus() };
}

/** Characters of a default that a field would not show. */
function hiddenIn(value) {
  if (typeof value !== "string" || plain(value) === value) return null;
  return el("span", { class: "muted" }, "with hidden characters: ", isolated(value));
}

function controlOf(schema, isRequired) {
  const choices = choicesOf(schema);
  const type = typeOf(schema);
  if (choices) return select(choices, schema.default);
  if (type === "boolean") {
    const isOpen = !isRequired && schema.default === undefined;
    return isOpen ? select([[true, "Yes"], [false, "No"]]) : checkbox(schema.default);
  }
  if (type === "number" || type === "integer") return number(schema, type);
  return type === "string" ? text(schema) : json(schema);
}

/** The one type of a value beside null. */
function typeOf({ type }) {
  const types = [type].flat().filter((each) => each !== "null");
  return types.length === 1 ? types[0] : undefined;
}

/** Values and their names: of `enum`, or of constants with titles. */
function choicesOf({ enum: values, enumNames: names = [], oneOf, anyOf }) {
  if (Array.isArray(values)) return values.map((each, at) => [each, names[at] ?? wordFor(each)]);
  const options = oneOf ?? anyOf;
  if (!options?.length || !options.every((each) => Object(each).const !== undefined)) return null;
  return options.map((each) => [each.const, each.title ?? wordFor(each.const)]);
}

function wordFor(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function select(choices, chosen) {
  const at = choices.findIndex(([value]) => chosen !== undefined && JSON.stringify(value) === JSON.stringify(chosen));
  const options = choices.map(([, name], index) => el("option", { value: String(index), selected: index === at }, plain(String(name))));
  const input = el("select", {}, el("option", { value: "" }, "Choose …"), options);
  return { input, parse: () => (input.value === "" ? undefined : choices[Number(input.value)][0]) };
}

function checkbox(chosen) {
  const input = el("input", { type: "checkbox", checked: chosen === true });
  return { input, parse: () => input.checked };
}

function number({ default: value, minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below }, type) {
  const input = el("input", { type: "text", inputmode: type === "integer" ? "numeric" : "decimal", value: value ?? null, autocomplete: "off" });
  function parse() {
    const written = input.value.trim();
    if (!written) return undefined;
    const found = Number(written);
    if (!Number.isFinite(found)) throw new Error("Write a number.");
    if (type === "integer" && !Number.isSafeInteger(found)) throw new Error("Write a whole number.");
    if (found < minimum) throw new Error(`Write ${minimum} or more.`);
    if (found > maximum) throw new Error(`Write ${maximum} or less.`);
    if (found <= above) throw new Error(`Write more than ${above}.`);
    if (found >= below) throw new Error(`Write less than ${below}.`);
    return found;
  }
  return { input, parse };
}

function text({ default: value = "", format, minLength: least = 0, maxLength: most = Infinity }) {
  const isLong = (most >= LONG_CHARS && most < Infinity) || String(value).includes("\n");
  const input = isLong ? el("textarea", { rows: "3", dir: "auto" }, String(value)) : el("input", { type: INPUTS.get(format) ?? "text", dir: "auto", value: String(value) });
  function parse() {
    const { length } = [...input.value];
    if (input.validity.badInput || input.validity.typeMismatch) throw new Error(input.validationMessage);
    if (!length) return undefined;
    if (length < least) throw new Error(`Write ${least} characters or more.`);
    if (length > most) throw new Error(`Write ${most} characters or less.`);
    return input.value;
  }
  return { input, parse };
}

/** What has no field of its own. */
function json({ default: value }) {
  const written = value === undefined ? "" : JSON.stringify(value, null, 2);
  const input = el("textarea", { rows: "3", class: "json", spellcheck: "false", placeholder: "JSON" }, written);
  function parse() {
    if (!input.value.trim()) return undefined;
    try {
      return JSON.parse(input.value);
    } catch {
      throw new Error('Write JSON, such as "text", 3 or ["a", "b"].');
    }
  }
  return { input, parse };
}
