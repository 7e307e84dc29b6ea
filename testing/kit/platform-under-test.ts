import type { SqlExecutor } from "@appserver/kernel/ports";
import type { AppKeys, PlatformClient, registerApp, SignedManifest } from "@appserver/sdk";

/** What black-box tests need from a running platform, whatever its backends are. */
export interface PlatformUnderTest {
  readonly variant: PlatformVariant;
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly sessionCookieName: string;
  /**
   * Headers that authenticate an HTTP request as the administrator. Empty if callers without credentials are administrators.
   */
  readonly administrator: Readonly<Record<string, string>>;
  /** The fields of a registration other than the manifest. */
  readonly registration: { readonly token?: string };
  userId(user: TestUser): string;
  /** `Cookie` header of a fresh session. */
  login(user: TestUser): Promise<string>;
  /** Token of a fresh session, for `Authorization: Bearer`. */
  sessionToken(user: TestUser): Promise<string>;
  /** gRPC as the administrator. */
  client(): PlatformClient;
  /** Registers an app as its developer would. With its keys, what the platform requires of the image is added and signed. */
  register(app: SignedManifest & { readonly keys?: AppKeys }): ReturnType<typeof registerApp>;
  /** Returns the whole response to a query of the administrator. */
  graphql(query: string, variables?: object): Promise<GraphqlAnswer>;
  /** Runs `work` directly on the platform's database, for facts that only the tables hold. */
  onDatabase<T>(work: (sql: SqlExecutor) => Promise<T>): Promise<T>;
  /** Runs `work` as the administrator of the server of the apps' databases. */
  onAppServer<T>(work: (sql: SqlExecutor) => Promise<T>): Promise<T>;
  /** The server's log so far. */
  log(): Promise<string>;
  /** Releases it. */
  stop(): Promise<void>;
}

/**
 * `embedded` means `appserver dev`; `production` means `serve` and `orchestrate` on PostgreSQL, Redis, RabbitMQ, OpenFGA,
 * Kratos and Docker, or `appserver up` with Docker.
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
