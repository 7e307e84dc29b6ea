import { queryOptions } from "@tanstack/react-query";
import { i18n } from "../i18n.ts";

/** Returns the page on which users change their account, which leads back to a path of the console. Null if there is none. */
export async function readAccountUrl(returnTo: string): Promise<string | null> {
  const response = await fetch(`/console/account?${new URLSearchParams({ return_to: returnTo })}`);
  if (!response.ok) throw new Error(i18n.t("the platform responded with {status}", { status: response.status }));
  return ((await response.json()) as { readonly location: string | null }).location;
}

export const hasAccountQuery = queryOptions({
  queryKey: ["account"],
  queryFn: async () => (await readAccountUrl("/")) !== null,
  staleTime: Number.POSITIVE_INFINITY,
});
