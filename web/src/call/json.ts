// JSON values as the lines of a table, beside the schema that they should follow.
import { isObject, list, object, text, type Json } from "../read/model";

export interface Line {
  depth: number;
  name: string;
  /** The value; absent for a required property that is missing, and for objects and lists with items. */
  value: string | undefined;
  /** What the schema says. */
  expected: string;
  description: string;
  /** What is wrong with the value. */
  problem: string;
}

const MAX_DEPTH = 40;

/** Returns a value as lines. Without a schema, nothing is expected. */
export function lines(value: unknown, schema?: unknown): Line[] {
  const found: Line[] = [];
  const known = isObject(schema) ? schema : undefined;
  addChildren(found, value, known, 0);
  if (!isContainer(value)) found.push(line(0, "", value, known));
  return found;
}

/** Returns the properties of a schema as lines, with what is required as their values. */
export function schemaLines(schema: unknown, depth = 0): Line[] {
  const from = object(schema);
  const required = list(from.required).map(text);
  if (depth > MAX_DEPTH) return [];
  return Object.entries(object(from.properties)).flatMap(([name, inner]) => {
    const own = line(depth, name, undefined, object(inner));
    const nested = isObject(object(inner).items) ? object(inner).items : inner;
    return [{ ...own, value: required.includes(name) ? "required" : "optional" }, ...schemaLines(nested, depth + 1)];
  });
}

const isContainer = (value: unknown): boolean => typeof value === "object" && value !== null;

function addChildren(found: Line[], value: unknown, schema: Json | undefined, depth: number): void {
  if (!isContainer(value) || depth > MAX_DEPTH) return;
  for (const [name, inner] of Object.entries(value as object)) {
    const inSchema = Array.isArray(value) ? childOfList(schema) : childOfObject(schema, name);
    const own = line(depth, name, inner, inSchema);
    if (schema && !Array.isArray(value) && !inSchema && isClosed(schema)) own.problem = "not in the schema";
    found.push(own);
    addChildren(found, inner, inSchema, depth + 1);
  }
  if (isObject(value)) addMissing(found, value, schema, depth);
}

const isClosed = (schema: Json): boolean => isObject(schema.properties) && schema.additionalProperties !== true;
const childOfList = (schema: Json | undefined) => (isObject(schema?.items) ? schema.items : undefined);

function childOfObject(schema: Json | undefined, name: string): Json | undefined {
  const properties = object(schema?.properties);
  const child = Object.hasOwn(properties, name) ? properties[name] : schema?.additionalProperties;
  return isObject(child) ? child : undefined;
}

function addMissing(found: Line[], value: Json, schema: Json | undefined, depth: number): void {
  const required = list(schema?.required).map(text);
  for (const [name, inner] of Object.entries(object(schema?.properties))) {
    if (Object.hasOwn(value, name)) continue;
    const problem = required.includes(name) ? "missing" : "";
    found.push({ ...line(depth, name, undefined, object(inner)), problem });
  }
}

function line(depth: number, name: string, value: unknown, schema: Json | undefined): Line {
  const shown = !isContainer(value) ? JSON.stringify(value) : Object.keys(value as object).length > 0 ? undefined : Array.isArray(value) ? "[]" : "{}";
  return {
    depth,
    name,
    value: shown,
    expected: schema ? expectation(schema) : "",
    description: text(schema?.description),
    problem: schema && value !== undefined ? mismatch(value, schema) : "",
  };
}

function expectation(schema: Json): string {
  const type = Array.isArray(schema.type) ? schema.type.join(" or ") : text(schema.type);
  const values = list(schema.enum).map((value) => JSON.stringify(value)).join(" | ");
  const item = type === "array" ? text(object(schema.items).type) : "";
  return [item ? `array of ${item}` : type, values, schema.format ? text(schema.format) : ""].filter(Boolean).join(", ");
}

function mismatch(value: unknown, schema: Json): string {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => typeof type === "string");
  if (types.length > 0 && !types.some((type) => isOfType(value, type as string))) return `not of type ${types.join(" or ")}`;
  const values = Array.isArray(schema.enum) ? schema.enum.map((item) => JSON.stringify(item)) : undefined;
  return values && !values.includes(JSON.stringify(value)) ? "not one of the values" : "";
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}
