/**
 * Returns a part of a text without the spaces and tabs around it (RFC 9110 §5.6.3). Not `trim`, which removes more: another blank of
 * Unicode may be a byte of a value, and a name that begins with one is another name.
 */
export function withoutBlanks(text: string, start = 0, end = text.length): string {
  let [first, last] = [start, end];
  while (first < last && isBlank(text.charCodeAt(first))) first += 1;
  while (last > first && isBlank(text.charCodeAt(last - 1))) last -= 1;
  return text.slice(first, last);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
