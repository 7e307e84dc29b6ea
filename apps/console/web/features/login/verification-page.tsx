import { Anchor } from "@mantine/core";
import { FlowPage } from "./flow-page.tsx";

export function VerificationPage() {
  return (
    <FlowPage
      kind="verification"
      title={() => "Verify your address"}
      disabled="Addresses are not verified here."
      links={(_flow, returnTo) => (
        <Anchor href={returnTo ?? "/console"} size="sm">
          Continue to the console
        </Anchor>
      )}
    />
  );
}
