import type { RedisTarget } from "./redis-target.ts";

/** Returns why Redis cannot be used, for its operator. */
export function explainFailure(error: unknown, target: RedisTarget): string {
  const text = textOf(error);
  if (/^(WRONGPASS|ERR AUTH)/.test(text)) return `Redis refuses the user name or password: ${text}`;
  if (/^NOAUTH|HELLO must be called with the client already authenticated/.test(text)) {
    return `Redis requires a password, but the URL has none: ${text}`;
  }
  if (/^NOPERM/.test(text)) return `the Redis user lacks a permission that the cache needs: ${text}`;
  if (/DB index is out of range/.test(text)) return `Redis has no database ${target.database}: ${text}`;
  if (/^(NOPROTO|ERR unknown command.*HELLO)/i.test(text)) return `Redis 7 or newer is required: ${text}`;
  return text;
}

function textOf(error: unknown): string {
  // If every address of a name fails, Node's error has no message.
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(textOf).join(", ");
  return error instanceof Error ? error.message || error.name : String(error);
}
