/** The address of a Redis server and the credentials to use. */
export interface RedisTarget {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
}

const defaultPort = 6379;

/**
 * Parses `redis[s]://[user[:password]@]host[:port][/database]` (APPSERVER_REDIS_URL). Throws a RangeError with the expected
 * form; the text never contains the password.
 */
export function parseRedisUrl(text: string): RedisTarget {
  const url = URL.parse(text);
  if (!url) throw new RangeError("the Redis URL is not a URL: expected redis://[user:password@]host[:port][/database]");
  if (url.protocol !== "redis:" && url.protocol !== "rediss:") {
    throw new RangeError(`the Redis URL begins with ${url.protocol}//: expected redis:// or, with TLS, rediss://`);
  }
  if (url.search || url.hash) throw new RangeError("the Redis URL has a query or fragment: expected none");
  const database = url.pathname.replace(/^\//, "") || "0";
  if (!/^\d{1,9}$/.test(database)) throw new RangeError(`the Redis URL names database ${database}: expected a number`);
  return {
    host: url.hostname.replace(/^\[|\]$/g, "") || "localhost",
    port: url.port ? Number(url.port) : defaultPort,
    tls: url.protocol === "rediss:",
    username: decoded(url.username),
    password: decoded(url.password),
    database: Number(database),
  };
}

/** Returns the target for logs, without credentials. */
export function describeTarget({ tls, host, port, database }: RedisTarget): string {
  return `${tls ? "rediss" : "redis"}://${host.includes(":") ? `[${host}]` : host}:${port}/${database}`;
}

function decoded(text: string): string | undefined {
  if (!text) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RangeError("the user name or password in the Redis URL contains an unencoded %: write it as %25");
  }
}
