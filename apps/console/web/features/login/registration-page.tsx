import { i18n } from "../../i18n.ts";
import { FlowLink, FlowPage } from "./flow-page.tsx";

export function RegistrationPage() {
  return (
    <FlowPage
      kind="registration"
      title={() => i18n.t("Create an account")}
      disabled={i18n.t("You cannot create an account here yourself. Ask an administrator for one.")}
      links={(_flow, returnTo) => (
        <FlowLink kind="login" returnTo={returnTo}>
          {i18n.t("Sign in with an account")}
        </FlowLink>
      )}
    />
  );
}
