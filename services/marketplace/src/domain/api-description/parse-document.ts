import { DescriptionProblem, descriptionLimits } from "./description-limits.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a property of the object itself, never one of its prototype. */
export function own(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Parses JSON that any server may have sent. Throws DescriptionProblem, whose message has nothing of the content. */
export function parseDocument(bytes: Uint8Array): JsonObject {
  const { bytes: most, nesting, values } = descriptionLimits;
  if (bytes.byteLength > most) throw new DescriptionProblem(`has more than ${most.toLocaleString("en")} bytes`);
  const size = sizeOf(bytes);
  if (size.nesting > nesting) throw new DescriptionProblem(`has more than ${nesting} levels`);
  if (size.values > values) throw new DescriptionProblem(`has more than ${values.toLocaleString("en")} values`);
  const parsed = jsonOf(bytes);
  if (!isObject(parsed)) throw new DescriptionProblem("is no JSON object");
  return parsed;
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new DescriptionProblem("is not JSON in UTF-8", { cause });
  }
}

const [quotationMark, backslash, comma, openBracket, closeBracket, openBrace, closeBrace] = Buffer.from('"\\,[]{}');

/** Returns how many lists and objects are open at once, and how many values follow others. In UTF-8 no other byte has these values. */
function sizeOf(bytes: Uint8Array): { readonly nesting: number; readonly values: number } {
  let [depth, nesting, values, isText] = [0, 0, 0, false];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quotationMark) isText = !isText;
    else if (isText) at += byte === backslash ? 1 : 0;
    else if (byte === comma) values += 1;
    else if (byte === openBracket || byte === openBrace) nesting = Math.max(nesting, ++depth);
    else if (byte === closeBracket || byte === closeBrace) depth -= 1;
  }
  return { nesting, values };
}
