import { FlowLink, FlowPage } from "./flow-page.tsx";

export function RecoveryPage() {
  return (
    <FlowPage
      kind="recovery"
      title={() => "Recover your account"}
      disabled="Accounts cannot be recovered here. Ask an administrator for help."
      links={(_flow, returnTo) => (
        <FlowLink kind="login" returnTo={returnTo}>
          Back to the sign-in
        </FlowLink>
      )}
    />
  );
}
