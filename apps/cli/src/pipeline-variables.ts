type Environment = Readonly<Record<string, string | undefined>>;

/** The key and the certificate of an app, as variables have them: PEM, or PEM in base64, which is one line. Empty if one is missing. */
export interface KeyTexts {
  readonly key: string;
  readonly certificate: string;
}

/** Where the job of a pipeline has its OpenID token. */
export type IdTokenSource = { readonly token: string } | RequestedIdToken;

/** GitHub Actions gives one for each request. */
export interface RequestedIdToken {
  readonly url: string;
  readonly bearer: string;
  readonly audience: string | undefined;
}

/** Returns the key and the certificate of an app. Undefined if the variables have neither. */
export function keyTexts(environment: Environment): KeyTexts | undefined {
  const { APPSERVER_APP_KEY: key = "", APPSERVER_APP_CERTIFICATE: certificate = "" } = environment;
  return key === "" && certificate === "" ? undefined : { key, certificate };
}

/** Returns where the id token of a job is. Undefined outside of a pipeline. */
export function idTokenSource(environment: Environment): IdTokenSource | undefined {
  const token = environment["APPSERVER_ID_TOKEN"];
  if (token) return { token };
  const [url, bearer] = [environment["ACTIONS_ID_TOKEN_REQUEST_URL"], environment["ACTIONS_ID_TOKEN_REQUEST_TOKEN"]];
  return url && bearer ? { url, bearer, audience: environment["APPSERVER_AUDIENCE"] || undefined } : undefined;
}
