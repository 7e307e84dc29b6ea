/** Of the JSON Schemas of activities' inputs, in characters. Compiling takes some 5 ms for 1,000 of them, in a thread. */
export const inputSchemaLimits = {
  /** Of one schema. */
  length: 65_536,
  /** Of all schemas that are declared at once: by a manifest, or by a worker. */
  lengthTogether: 131_072,
} as const;
