import { i18n } from "../../i18n.ts";
import type { RequestRow } from "./request-queries.ts";

/** Returns what a request is called: "POST /notes". */
export function requestTitle({ method, route }: Pick<RequestRow, "method" | "route">): string {
  return `${method} ${route ?? i18n.t("(no route)")}`;
}
