import { Anchor } from "@mantine/core";
import { i18n } from "../../i18n.ts";
import { FlowPage } from "./flow-page.tsx";

export function VerificationPage() {
  return (
    <FlowPage
      kind="verification"
      title={() => i18n.t("Verify your address")}
      disabled={i18n.t("Addresses are not verified here.")}
      links={(_flow, returnTo) => (
        <Anchor href={returnTo ?? "/console"} size="sm">
          {i18n.t("Continue to the console")}
        </Anchor>
      )}
    />
  );
}
