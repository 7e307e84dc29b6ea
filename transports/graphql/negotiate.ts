export const json = "application/json";
export const graphqlResponse = "application/graphql-response+json";
export type MediaType = typeof json | typeof graphqlResponse;

/**
 * Returns the media type of the response by `Accept` (RFC 9110 §12.5.1): the one with the higher weight, and of equal ones the newer if it
 * is named. Undefined if the client accepts neither. Without a preference it is the older type.
 */
export function negotiate(accept: string | undefined): MediaType | undefined {
  if (accept === undefined || accept.trim() === "") return json;
  const weights = new Map<string, number>();
  for (const item of accept.split(",")) {
    const [name = "", ...parameters] = item.toLowerCase().split(";");
    const range = name.trim();
    if (range !== "") weights.set(range, Math.max(weights.get(range) ?? 0, weightOf(parameters)));
  }
  const older = weights.get(json) ?? weights.get("application/*") ?? weights.get("*/*") ?? 0;
  // Clients that accept anything were written for the older type.
  const newer = weights.get(graphqlResponse) ?? 0;
  if (newer > 0 && newer >= older) return graphqlResponse;
  return older > 0 ? json : undefined;
}

/** Returns 1 without a valid weight. */
function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [, weight] = /^\s*q\s*=\s*(\d(?:\.\d*)?|\.\d+)\s*$/.exec(parameter) ?? [];
    if (weight !== undefined) return Number(weight);
  }
  return 1;
}
