import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";

/** How the API server is reached. */
export interface Connection {
  /** `https://10.96.0.1:443` */
  readonly server: string;
  /** Returns the bearer token for a call. Undefined: the client certificate is the credential. */
  readonly token?: () => string;
  /** PEM. Undefined: the authorities of the system. */
  readonly authority?: string;
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
  /** Whether any certificate of the server is accepted. */
  readonly isUnverified: boolean;
}

const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Reads the current context of a kubeconfig. Without a file, returns the connection of the service account of this pod. Throws an error
 * that names what is missing.
 */
export function readConnection(kubeconfig?: string): Connection {
  return kubeconfig === undefined ? ofServiceAccount() : ofFile(kubeconfig);
}

function ofServiceAccount(): Connection {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  if (!host || !port) throw new Error("this process runs in no pod; name a kubeconfig");
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    // The kubelet replaces the file every hour.
    token: () => readFileSync(`${serviceAccount}/token`, "utf8").trim(),
    authority: readFileSync(`${serviceAccount}/ca.crt`, "utf8"),
    isUnverified: false,
  };
}

/** Returns the namespace of this pod, or undefined if this process runs in none. */
export function platformNamespace(): string | undefined {
  const file = `${serviceAccount}/namespace`;
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

type Fields = Readonly<Record<string, string | boolean | undefined>>;
interface Named {
  readonly name: string;
  readonly cluster?: Fields;
  readonly user?: Fields;
  readonly context?: Fields;
}
interface Kubeconfig {
  readonly "current-context"?: string;
  readonly contexts?: readonly Named[];
  readonly clusters?: readonly Named[];
  readonly users?: readonly Named[];
}

function ofFile(file: string): Connection {
  const config = parse(readFileSync(file, "utf8")) as Kubeconfig;
  const find = (list: readonly Named[] | undefined, name: unknown, what: string): Named => {
    const found = list?.find((each) => each.name === name);
    if (found) return found;
    throw new Error(`${file} has no ${what} ${JSON.stringify(name)}`);
  };
  const { context } = find(config.contexts, config["current-context"], "context");
  const { cluster = {} } = find(config.clusters, context?.["cluster"], "cluster");
  const { user = {} } = find(config.users, context?.["user"], "user");
  /** The contents of a field, in the file itself or in another one. */
  const contentsOf = (fields: Fields, name: string): string | undefined => {
    const [inline, path] = [fields[`${name}-data`], fields[name]];
    if (typeof inline === "string") return Buffer.from(inline, "base64").toString("utf8");
    return typeof path === "string" ? readFileSync(resolve(dirname(file), path), "utf8") : undefined;
  };
  const { server } = cluster;
  if (typeof server !== "string") throw new Error(`the cluster of ${file} has no server`);
  const [certificate, key] = [contentsOf(user, "client-certificate"), contentsOf(user, "client-key")];
  const token = tokenOf(user, dirname(file));
  if (!token && !(certificate && key)) throw new Error(`the user of ${file} has neither a token nor a client certificate`);
  const authority = contentsOf(cluster, "certificate-authority");
  return {
    server: server.replace(/\/+$/, ""),
    isUnverified: cluster["insecure-skip-tls-verify"] === true,
    ...(token ? { token } : {}),
    ...(authority === undefined ? {} : { authority }),
    ...(certificate && key ? { clientCertificate: { certificate, key } } : {}),
  };
}

function tokenOf({ token, tokenFile }: Fields, folder: string): (() => string) | undefined {
  if (typeof tokenFile === "string") return () => readFileSync(resolve(folder, tokenFile), "utf8").trim();
  return typeof token === "string" ? () => token : undefined;
}
