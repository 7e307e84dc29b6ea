/**
 * Returns the first of `preferred` that an `Accept-Encoding` header allows, or undefined to send the bytes unencoded (RFC 9110
 * §12.5.3). The server's preference decides between codings with a client weight above 0.
 */
export function chooseCoding<T extends string>(header: string | undefined, preferred: readonly T[]): T | undefined {
  if (header === undefined || header === "") return undefined;
  const weights = parseWeights(header);
  const wildcard = weights.get("*") ?? 0;
  return preferred.find((coding) => (weights.get(coding) ?? wildcard) > 0);
}

/**
 * Returns whether the client accepts unencoded bytes. Only `identity;q=0`, or `*;q=0` without a weight for identity, refuses
 * them.
 */
export function allowsIdentity(header: string | undefined): boolean {
  if (header === undefined) return true;
  const weights = parseWeights(header);
  return (weights.get("identity") ?? weights.get("*") ?? 1) > 0;
}

function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.split(",")) {
    const [name = "", ...parameters] = item.split(";");
    const quality = parameters.map((parameter) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(parameter)?.[1]).find(Boolean);
    weights.set(name.trim().toLowerCase(), quality === undefined ? 1 : Number(quality));
  }
  return weights;
}
