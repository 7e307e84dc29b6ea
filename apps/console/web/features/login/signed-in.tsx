import { Text } from "@mantine/core";
import { LoginFrame } from "./login-frame.tsx";

/** The end of a sign-in in a new tab. The first tab continues by itself. */
export function SignedIn() {
  return (
    <LoginFrame title="You are signed in">
      <Text>Close this tab and continue where you were.</Text>
    </LoginFrame>
  );
}
