/** A person with a password, as the identity driver `accounts` has them. */
export interface PasswordAccount {
  /** The user id of the platform. */
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

type Person = Omit<PasswordAccount, "id"> & { readonly name: string };

const headers = { accept: "application/json", "sec-fetch-site": "same-origin" };

/** Completes the account of an invitation link as its page does. */
export async function completeAccount(link: string, { email, name, password }: Person): Promise<PasswordAccount> {
  const { origin, hash } = new URL(link);
  const token = new URLSearchParams(hash.slice(1)).get("token") ?? "";
  await submit(origin, "registration?flow=link", { method: "password", token, email, name, password });
  const session = await logInToAccounts(origin, { email, password });
  const response = await fetch(`${origin}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${session}` },
    body: JSON.stringify({ query: "{ viewer { subject } }" }),
  });
  const { data } = (await response.json()) as { readonly data: { readonly viewer: { readonly subject: string } } };
  return { id: data.viewer.subject.replace("user:", ""), email, password };
}

/** Signs in as a page does. Returns the token of the session, which is the value of its cookie. */
export function logInToAccounts(httpUrl: string, { email, password }: Omit<PasswordAccount, "id">): Promise<string> {
  return submit(httpUrl, "login?flow=login", { method: "password", identifier: email, password });
}

async function submit(httpUrl: string, flow: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(`${httpUrl}/self-service/${flow}`, {
    method: "POST",
    headers,
    body: new URLSearchParams(fields),
  });
  const text = await response.text();
  const [token] = response.headers.getSetCookie().flatMap((line) => sessionCookie.exec(line)?.[1] ?? []);
  if (!response.ok || token === undefined) throw new Error(`${flow} returned ${response.status}: ${text.slice(0, 500)}`);
  return token;
}

export const accountsCookieName = "appserver_session";
/** With the prefix if the public URL is https. */
const sessionCookie = new RegExp(`^(?:__Host-)?${accountsCookieName}=([^;]+)`);
