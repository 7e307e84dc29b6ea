import { randomBytes, randomInt } from "node:crypto";

/** Letters and digits: no escaping of any sink hides it, nor splits it. Begins as no number and no literal of JSON does. */
function secretText(): string {
  return `c${randomBytes(20).toString("hex")}`;
}

/** Secrets for one transport: what it is to take, and what to refuse. */
export function newSecrets() {
  return { taken: secretText(), number: secretNumber(), refused: secretText(), refusedNumber: secretNumber() };
}

/** What to search for: the secret, and its beginning, as in messages that quote a few letters. */
export function partsOf(secret: string | number): readonly string[] {
  return [String(secret), String(secret).slice(0, 10)];
}

/** Of fifteen digits: no time or size is mistaken for it. */
function secretNumber(): number {
  return randomInt(1e14, 2e14);
}

/** A secret of each data type (specification §2.3), one with every rule, and what is none. */
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

/** Values that are taken, with the secret wherever a type has room for it. */
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

/** Values that are refused, one by one: of the wrong type, against a rule, or for no setting of the app. */
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
