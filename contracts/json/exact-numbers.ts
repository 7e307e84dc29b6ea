/** Significant digits of a number with a fraction that every reader may round to the nearest double. */
const doubleDigits = 17;
const maxPathLength = 200;

/** Matches whatever text may hold a number that is not exact. Most texts hold none, and are not read again. */
const suspicious = /[\d.]{16}|\d[eE]/;
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Returns whether the number survives: a program that reads it as a double (IEEE 754) and writes it again, writes the same number.
 * Integers must be the same digit by digit. Numbers with a fraction may have up to 17 significant digits, as other programs write
 * doubles. `literal`: a number of JSON or GraphQL.
 */
export function isExactNumber(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  const [given, read] = [decimalOf(literal), decimalOf(String(value))];
  if (given.digits === read.digits && given.exponent === read.exponent) return true;
  const isInteger = given.exponent >= 0;
  return !isInteger && read.digits !== "" && given.digits.length <= doubleDigits;
}

/** Returns the significant digits without zeros at either end, and the power of ten that they are multiplied with. */
function decimalOf(literal: string): { readonly digits: string; readonly exponent: number } {
  const [, integer = "", fraction = "", power = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = `${integer}${fraction}`.replace(/^0+/, "");
  const significant = withoutZerosAtEnd(digits);
  if (significant === "") return { digits: "", exponent: 0 };
  return { digits: significant, exponent: Number(power) - fraction.length + digits.length - significant.length };
}

/** Takes linear time, unlike a pattern. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

interface Container {
  /** The number of the item, or undefined for an object. */
  index: number | undefined;
  key: string;
}

/**
 * Returns the path of the first number in a JSON text that does not survive ({@link isExactNumber}): `a.b[2]`, or "" for the text
 * itself. Returns undefined if there is none. Takes linear time and does not recurse.
 */
export function inexactNumberPath(text: string): string | undefined {
  if (!suspicious.test(text)) return undefined;
  const open: Container[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    const container = open.at(-1);
    if (char === '"') {
      const end = endOfText(text, at);
      if (container?.index === undefined && container !== undefined && isKey(text, end))
        container.key = text.slice(at, end + 1);
      at = end;
    } else if (char === "{") open.push({ index: undefined, key: "" });
    else if (char === "[") open.push({ index: 0, key: "" });
    else if (char === "}" || char === "]") open.pop();
    else if (char === "," && container?.index !== undefined) container.index += 1;
    else if (char === "-" || (char !== undefined && char >= "0" && char <= "9")) {
      number.lastIndex = at;
      const [literal = char] = number.exec(text) ?? [];
      if (!isExactNumber(literal)) return pathOf(open);
      at += literal.length - 1;
    }
  }
  return undefined;
}

/** Returns the position of the quotation mark that ends the text which begins at `at`. */
function endOfText(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end += 1)
    if (text[end] === "\\") end += 1;
    else if (text[end] === '"') return end;
  return text.length;
}

function isKey(text: string, end: number): boolean {
  let next = end + 1;
  while (next < text.length && /\s/.test(text[next] ?? "")) next += 1;
  return text[next] === ":";
}

function pathOf(open: readonly Container[]): string {
  let path = "";
  for (const { index, key } of open) {
    if (index !== undefined) path += `[${index}]`;
    else path += `${path === "" ? "" : "."}${nameOf(key)}`;
    if (path.length > maxPathLength) return `${path.slice(0, maxPathLength)}…`;
  }
  return path;
}

/** Returns the text of a key, or the key as it is written if that is not JSON. */
function nameOf(key: string): string {
  try {
    return String(JSON.parse(key));
  } catch {
    return key;
  }
}

/** The end of an error message about such a number. */
export const inexactNumberProblem = "must be a number that a double holds exactly; write larger integers as texts";
