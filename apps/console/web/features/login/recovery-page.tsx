import { i18n } from "../../i18n.ts";
import { FlowLink, FlowPage } from "./flow-page.tsx";

export function RecoveryPage() {
  return (
    <FlowPage
      kind="recovery"
      title={() => i18n.t("Recover your account")}
      disabled={i18n.t("Accounts cannot be recovered here. Ask an administrator for help.")}
      links={(_flow, returnTo) => (
        <FlowLink kind="login" returnTo={returnTo}>
          {i18n.t("Back to the sign-in")}
        </FlowLink>
      )}
    />
  );
}
