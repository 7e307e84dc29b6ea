import type { PartBudget } from "./description-limits.ts";
import { isObject, type JsonObject, own } from "./parse-document.ts";

/** A longer reference, or one through more references, leads nowhere. */
const [maxLength, maxReferences] = [500, 20];

/** Follows the references of a document within it. Others are never followed. */
export class DocumentReferences {
  readonly #document: JsonObject;
  readonly #budget: PartBudget;

  constructor(document: JsonObject, budget: PartBudget) {
    this.#document = document;
    this.#budget = budget;
  }

  /** Returns the object itself, or the one that its `$ref` leads to. Undefined if there is none. */
  resolve(value: unknown): JsonObject | undefined {
    let found = value;
    for (let count = 0; count <= maxReferences; count += 1) {
      this.#budget.spend(1);
      if (!isObject(found)) return undefined;
      const reference = own(found, "$ref");
      if (typeof reference !== "string") return found;
      found = this.#target(reference);
    }
    return undefined;
  }

  #target(reference: string): unknown {
    if (!reference.startsWith("#/") || reference.length > maxLength) return undefined;
    const names = reference.slice(2).split("/").map(unescaped);
    return names.reduce<unknown>(
      (value, name) => (Array.isArray(value) ? value[indexOf(name)] : own(value, name)),
      this.#document,
    );
  }
}

/** Decodes a part of a JSON Pointer in a URL (RFC 6901 §6). */
function unescaped(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
}

function indexOf(name: string): number {
  return /^\d{1,6}$/.test(name) ? Number(name) : -1;
}
