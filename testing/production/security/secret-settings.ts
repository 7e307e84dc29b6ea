import { randomBytes, randomInt } from "node:crypto";

/** Letters and digits, so that no escaping changes or splits it. Does not begin like a number or a JSON literal. */
function secretText(): string {
  return `c${randomBytes(20).toString("hex")}`;
}

/** Secrets for one transport: those to accept and those to refuse. */
export function newSecrets() {
  return { taken: secretText(), number: secretNumber(), refused: secretText(), refusedNumber: secretNumber() };
}

/** The search terms: the secret and its beginning, because messages may quote a few letters. */
export function partsOf(secret: string | number): readonly string[] {
  return [String(secret), String(secret).slice(0, 10)];
}

/** Fifteen digits, so that no time or size matches by chance. */
function secretNumber(): number {
  return randomInt(1e14, 2e14);
}

/**
 * A sensitive setting of each data type (docs/interface/settings.md#data-types), one with each rule, and one that is not
 * sensitive.
 */
export const secretDefinitions = [
  ...[
    ...["STRING", "STRING_REQUIRED", "INT", "INT_REQUIRED", "FLOAT", "FLOAT_REQUIRED", "BOOL", "BOOL_REQUIRED"],
    ...["STRING_ARRAY", "INT_ARRAY", "FLOAT_ARRAY", "BOOL_ARRAY", "JSON", "JSON_REQUIRED", "KVPAIR_ARRAY"],
  ].map((type) => ({ key: type, data_type: type, sensitive: true, required: type.endsWith("_REQUIRED") })),
  {
    key: "ruled",
    data_type: "STRING",
    sensitive: true,
    validation: { min_length: 20, max_length: 60, pattern: "^[0-9a-f]+$" },
  },
  { key: "chosen", data_type: "STRING", sensitive: true, validation: { enum: ["one", "two"] } },
  { key: "small", data_type: "INT", sensitive: true, validation: { max: 10 } },
  { key: "title", data_type: "STRING" },
];

/** Accepted values, with the secret wherever the type can hold it. */
export function takenValues(secret: string, number: number): Record<string, unknown> {
  return {
    STRING: secret,
    STRING_REQUIRED: secret,
    STRING_ARRAY: ["first", secret],
    JSON: { nested: [{ deep: secret }] },
    JSON_REQUIRED: [secret],
    KVPAIR_ARRAY: [{ key: secret, value: { deep: secret } }],
    INT: number,
    INT_ARRAY: [1, number],
    FLOAT: number,
    ruled: secret,
  };
}

/** Values that are refused, one by one: of the wrong type, against a rule, or for an unknown setting. */
export function refusedValues(secret: string, number: number): Record<string, unknown> {
  return {
    STRING: { deep: secret },
    STRING_REQUIRED: [secret],
    INT: secret,
    INT_REQUIRED: [secret],
    FLOAT: secret,
    FLOAT_REQUIRED: { deep: secret },
    BOOL: secret,
    BOOL_REQUIRED: [secret],
    STRING_ARRAY: secret,
    INT_ARRAY: [secret],
    FLOAT_ARRAY: [secret],
    BOOL_ARRAY: [secret],
    KVPAIR_ARRAY: [{ key: secret }],
    ruled: secret.repeat(3),
    chosen: secret,
    small: number,
    title: { deep: secret },
    nothing: secret,
  };
}
