import { completeAccount, logInToAccounts } from "@appserver/testing/kit/production";

export const ada = { email: "ada@example.com", name: "Ada", password: "a password that Ada chose" };

/** Completes the account of the link in `text` at an address of the platform. Returns a session of the first administrator. */
export async function administratorOf(text: string, httpUrl: string): Promise<string> {
  const link = /https?:\S+#token=\S+/.exec(text)?.[0] ?? "";
  await completeAccount(link.replace(/^https?:\/\/[^/]+/, httpUrl), ada);
  return await logInToAccounts(httpUrl, ada);
}
