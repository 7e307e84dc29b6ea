import { FlowLink, FlowPage } from "./flow-page.tsx";

export function RegistrationPage() {
  return (
    <FlowPage
      kind="registration"
      title={() => "Create an account"}
      disabled="You cannot create an account here yourself. Ask an administrator for one."
      links={(_flow, returnTo) => (
        <FlowLink kind="login" returnTo={returnTo}>
          Sign in with an account
        </FlowLink>
      )}
    />
  );
}
