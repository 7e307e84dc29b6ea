/** What a URL of PostgreSQL names. */
export interface PostgresUrlParts {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
}

/** The parts as text. An absent one is left to the driver. */
type UrlInput = Readonly<Record<keyof PostgresUrlParts | "sslMode", string | undefined>>;

/** Returns a URL in the form of libpq (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS). */
export function postgresUrl({ host = "", port, user = "", password = "", database = "", sslMode }: UrlInput): string {
  const [login, secret, name] = [user, password, database].map((part) => encodeURIComponent(part.toWellFormed()));
  const at = (host.includes(":") ? `[${host}]` : encodeURIComponent(host)) + (port === undefined ? "" : `:${port}`);
  // Drivers have different defaults.
  return `postgresql://${login}:${secret}@${at}/${name}?sslmode=${sslMode ?? "disable"}`;
}

/** Returns what a URL in the form of libpq names. Throws if it is no URL, or has a wrong escape. */
export function partsOfUrl(text: string): PostgresUrlParts {
  const { hostname, port, username, password, pathname } = new URL(text);
  return {
    host: decodeURIComponent(hostname.replace(/^\[(.*)\]$/, "$1")),
    ...(port !== "" && { port: Number(port) }),
    ...(username !== "" && { user: decodeURIComponent(username) }),
    ...(password !== "" && { password: decodeURIComponent(password) }),
    ...(pathname.length > 1 && { database: decodeURIComponent(pathname.slice(1)) }),
  };
}
