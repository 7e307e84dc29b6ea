import { schemaIds } from "./attribute.ts";
import { type Condition, parseFilter } from "./filter.ts";
import { invalid } from "./scim-error.ts";
import type { JsonObject } from "./values.ts";

/** What a client asks of a list. */
export interface Page {
  readonly conditions: readonly Condition[];
  /** Number of resources before the page. */
  readonly offset: number;
  readonly limit: number;
}

/** A page of a list, and the number of resources in all pages. */
export interface Found<T> {
  readonly total: number;
  readonly resources: readonly T[];
}

export const maxPageSize = 200;
const defaultPageSize = 100;
const maxOffset = 1_000_000_000;

/** Reads `filter`, `startIndex` and `count` (RFC 7644 section 3.4.2). A larger count than possible gets the largest possible page. */
export function pageOf(query: URLSearchParams): Page {
  const filter = query.get("filter");
  const startIndex = numberIn(query, "startIndex") ?? 1;
  const count = numberIn(query, "count") ?? defaultPageSize;
  return {
    conditions: filter === null || filter.trim() === "" ? [] : parseFilter(filter),
    offset: Math.min(Math.max(startIndex, 1) - 1, maxOffset),
    limit: Math.min(Math.max(count, 0), maxPageSize),
  };
}

export function listResponse({ total, resources }: Found<JsonObject>, startIndex: number): JsonObject {
  return {
    schemas: [schemaIds.list],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

/** Returns which attributes of a resource a response has: `attributes` and `excludedAttributes` (RFC 7644 section 3.9). */
export function selectionOf(query: URLSearchParams): (name: string) => boolean {
  const wanted = new Set(namesIn(query, "attributes").map((name) => name.split(".", 1)[0] ?? ""));
  const excluded = new Set(namesIn(query, "excludedAttributes"));
  return (name) => {
    const key = name.toLowerCase();
    if (key === "id" || key === "schemas") return true;
    return wanted.size > 0 ? wanted.has(key) : !excluded.has(key);
  };
}

/** Returns a resource with the selected attributes that have a value. */
export function selected(resource: JsonObject, isSelected: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(resource).filter(([name, value]) => value !== undefined && isSelected(name)));
}

/** A part of an attribute selects the attribute: `name.familyName`. */
function namesIn(query: URLSearchParams, parameter: string): readonly string[] {
  const names = (query.get(parameter) ?? "").toLowerCase().split(",");
  return names.map((name) => name.trim().replace(/^urn:.*:/, "")).filter((name) => name !== "");
}

function numberIn(query: URLSearchParams, parameter: string): number | undefined {
  const given = query.get(parameter);
  if (given === null || given === "") return undefined;
  if (!/^-?\d+$/.test(given)) throw invalid("invalidValue", `${parameter} must be a whole number`);
  return Number(given);
}
