import type { SqlExecutor } from "@appserver/kernel/ports";
import type { PlatformClient, registerApp, SignedManifest } from "@appserver/sdk";

/** What black-box tests need of a running platform, whatever it stands on. */
export interface PlatformUnderTest {
  readonly variant: PlatformVariant;
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly sessionCookieName: string;
  /** Headers that make an HTTP request the administrator's; none where callers without credentials are that. */
  readonly administrator: Readonly<Record<string, string>>;
  /** What a registration carries beside the manifest. */
  readonly registration: { readonly token?: string };
  userId(user: TestUser): string;
  /** `Cookie` header of a fresh session. */
  login(user: TestUser): Promise<string>;
  /** gRPC as the administrator. */
  client(): PlatformClient;
  /** Registers an app as its developer does. */
  register(app: SignedManifest): ReturnType<typeof registerApp>;
  /** What a query of the administrator answers, whole. */
  graphql(query: string, variables?: object): Promise<GraphqlAnswer>;
  /** Works on its database, past the platform: for what only the tables tell. */
  onDatabase<T>(work: (sql: SqlExecutor) => Promise<T>): Promise<T>;
  /** The server's log so far. */
  log(): Promise<string>;
  /** Ends this use of it. */
  stop(): Promise<void>;
}

/**
 * `embedded` is `appserver dev`; `production` is `serve` and `orchestrate` on PostgreSQL, Redis, RabbitMQ, OpenFGA, Kratos
 * and Docker.
 */
export type PlatformVariant = "embedded" | "production";

/** `admin` has the role `easy`, `alice` is a viewer of the notes app, `bob` has nothing. */
export type TestUser = "admin" | "alice" | "bob";

export interface GraphqlAnswer {
  readonly data: unknown;
  readonly errors?: readonly GraphqlError[];
}

export interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: string };
}

/** One operation over HTTP. */
export async function askGraphql(
  { httpUrl, administrator }: Pick<PlatformUnderTest, "httpUrl" | "administrator">,
  query: string,
  variables: object = {},
): Promise<GraphqlAnswer> {
  const response = await fetch(`${httpUrl}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", ...administrator },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as GraphqlAnswer;
}
