/** What is read of a document that describes an API (docs/interface/limits.md#descriptions-of-apis). */
export const descriptionLimits = {
  /** Of the document, and of what is kept of it. */
  bytes: 1_048_576,
  /** Lists and objects within each other in the document. */
  nesting: 100,
  /** In all lists and objects of the document. */
  values: 50_000,
  operations: 500,
  /** Of one operation, in its path and its query. */
  parameters: 30,
  /** Schemas within each other. What is deeper is any value. */
  schemaDepth: 8,
  /** Schemas, and names and values in them, once references are followed. */
  parts: 20_000,
  /** A longer list of values is not kept. */
  enumValues: 50,
  /** Alternatives of one schema. A longer list is not kept. */
  alternatives: 20,
  summary: 200,
  text: 500,
  path: 500,
  pathSegments: 16,
} as const;

/** Why a document cannot be read, as the end of a sentence that begins with "the document". */
export class DescriptionProblem extends Error {
  override readonly name = "DescriptionProblem";
}

/** Counts what is read of a document, because a few references may stand for very much. */
export class PartBudget {
  #left: number = descriptionLimits.parts;

  /** Throws DescriptionProblem if more is read than the limit. */
  spend(count: number): void {
    this.#left -= count;
    if (this.#left >= 0) return;
    throw new DescriptionProblem(
      `has schemas of more than ${descriptionLimits.parts.toLocaleString("en")} parts together, counted where references lead`,
    );
  }
}
