import { Center, Stack, Text, Title } from "@mantine/core";
import { i18n } from "../../i18n.ts";

/** The end of a sign-in in a new tab. The first tab continues by itself. */
export function SignedIn() {
  return (
    <Center mih="100vh" component="main">
      <Stack align="center" p="md">
        <Title order={1}>{i18n.t("You are signed in")}</Title>
        <Text>{i18n.t("Close this tab and continue where you were.")}</Text>
      </Stack>
    </Center>
  );
}
