import type { Document } from "@appserver/contracts/graphql/document";
import { ApiError } from "../api/api-error.ts";
import { send } from "../api/client.ts";
import { queryClient } from "../api/query-client.ts";
import type { CommandResultFragment } from "../generated/operations.ts";
import { i18n } from "../i18n.ts";

/** Sends a command on an app and reads again what depends on it. Rejects with ApiError, also if the result has no success. */
export async function command<Variables extends { readonly name: string }>(
  document: Document<{ readonly result: CommandResultFragment }, Variables>,
  variables: Variables,
): Promise<CommandResultFragment> {
  try {
    const { result } = await send(document, variables);
    if (!result.success)
      throw new ApiError(result.error?.code ?? "INTERNAL_ERROR", result.error?.message ?? i18n.t("the command failed"));
    return result;
  } finally {
    for (const key of [["app", variables.name], ["apps"], ["counts"], ["gallery"]])
      void queryClient.invalidateQueries({ queryKey: key });
  }
}
