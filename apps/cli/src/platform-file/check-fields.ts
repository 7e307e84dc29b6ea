import type { Misfit } from "@appserver/contracts/fields";
import { fieldPatterns, requiredFields } from "@appserver/contracts/platform-file";
import type { DescField, DescMessage } from "@bufbuild/protobuf";

type Values = Readonly<Record<string, unknown>>;

/** Adds what the rules of a file's fields refuse in values whose types are right (`contracts/platform-file`). */
export function checkFields(message: DescMessage, values: Values, path: Misfit["path"], misfits: Misfit[]): void {
  for (const field of message.fields) {
    const name = `${message.name}.${field.name}` as const;
    const value = values[field.name] ?? values[field.jsonName];
    const at = [...path, field.name];
    if (value === undefined || value === null || value === "") {
      if (requiredFields.includes(name)) misfits.push({ path: at, message: "is required" });
      continue;
    }
    const pattern = fieldPatterns[name];
    if (pattern !== undefined) checkTexts(new RegExp(pattern), value, at, misfits);
    if (isListOfMessages(field) && Array.isArray(value))
      for (const [index, each] of value.entries()) checkFields(field.message, each as Values, [...at, index], misfits);
  }
}

function isListOfMessages(field: DescField): field is DescField & { readonly message: DescMessage } {
  return field.fieldKind === "list" && field.listKind === "message";
}

/** Checks a text, or each text of a map. */
function checkTexts(pattern: RegExp, value: unknown, path: Misfit["path"], misfits: Misfit[]): void {
  if (typeof value === "object" && value !== null) {
    for (const [key, each] of Object.entries(value)) checkTexts(pattern, each, [...path, key], misfits);
    return;
  }
  if (!pattern.test(String(value))) misfits.push({ path, message: `must match ${pattern.source}` });
}
