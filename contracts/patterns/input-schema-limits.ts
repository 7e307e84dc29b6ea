/** Limits of the JSON Schemas of activity inputs, in characters. A thread compiles 1,000 characters in about 5 ms. */
export const inputSchemaLimits = {
  /** Maximum of one schema. */
  length: 65_536,
  /** Maximum of all schemas that one manifest or one worker declares. */
  lengthTogether: 131_072,
} as const;
