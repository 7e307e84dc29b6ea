/** What the intruder does inside its container. Its answer is one line: what it got, or how it was refused. */
export type Order =
  /** Opens a TCP connection: `connected`, `timeout`, or the error code. */
  | { readonly do: "connect"; readonly host: string; readonly port: number }
  /** `200`, another status, or the error code. `signedAs`: signs as this app with the intruder's own key. `$NAME` at the start is a variable. */
  | {
      readonly do: "fetch";
      readonly url: string;
      readonly method?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly signedAs?: string;
    }
  /** Runs SQL with the login of its environment, except what `login` replaces: the rows as JSON, or the SQLSTATE. */
  | {
      readonly do: "query";
      readonly sql: string;
      readonly login?: Readonly<Partial<Record<"database" | "user" | "password", string>>>;
    }
  /** A method of the platform over gRPC, without a signature: `OK`, or the status. */
  | { readonly do: "getApp" }
  /** The text of a file, or the error code. */
  | { readonly do: "read"; readonly path: string }
  | { readonly do: "write"; readonly path: string }
  /** The number of processes that it sees. */
  | { readonly do: "processes" };
