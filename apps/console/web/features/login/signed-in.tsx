import { Text } from "@mantine/core";
import { i18n } from "../../i18n.ts";
import { LoginFrame } from "./login-frame.tsx";

/** The end of a sign-in in a new tab. The first tab continues by itself. */
export function SignedIn() {
  return (
    <LoginFrame title={i18n.t("You are signed in")}>
      <Text>{i18n.t("Close this tab and continue where you were.")}</Text>
    </LoginFrame>
  );
}
