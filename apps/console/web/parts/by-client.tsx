import { i18n } from "../i18n.ts";
import { PageLink } from "./page-link.tsx";
import { Status } from "./status.tsx";

/** Shows the program of the language model that acted for a person, if one did. It leads to all that the program did. */
export function ByClient({ client }: { readonly client: string | null | undefined }) {
  if (client == null) return null;
  return (
    <PageLink to="/console/audit" search={{ client }} title={i18n.t("Only entries of this program")}>
      <Status>
        <span>{i18n.t("by {client}", { client })}</span>
      </Status>
    </PageLink>
  );
}
