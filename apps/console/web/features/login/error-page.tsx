import { Anchor, Group, Text } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { i18n } from "../../i18n.ts";
import { LoginFrame } from "./login-frame.tsx";
import { readError } from "./self-service.ts";

/** Where Kratos sends browsers if a flow fails as a whole: a refusal of another service, or a link that no longer works. */
export function ErrorPage() {
  const { id }: { readonly id?: string | undefined } = useSearch({ strict: false });
  const [reason, setReason] = useState("");
  useEffect(() => {
    if (id === undefined) return;
    readError(id).then(setReason, (error: unknown) => setReason(error instanceof Error ? error.message : String(error)));
  }, [id]);
  return (
    <LoginFrame
      title={i18n.t("Signing in failed")}
      links={
        <Group gap="md">
          <Anchor href="/login">{i18n.t("Sign in again")}</Anchor>
          <Anchor href="/console">{i18n.t("Go to the console")}</Anchor>
        </Group>
      }
    >
      <Text role="alert">
        {i18n.t("The sign-in was interrupted, or its link was used before or has expired. Sign in again.")}
      </Text>
      <Text size="sm" c="dimmed" mt="xs">
        {i18n.t("If it fails again, give an administrator the time and what you did.")}
      </Text>
      {reason && !isUnknown(reason) && (
        <Text size="sm" c="dimmed" mt="xs" className="wrap">
          {i18n.t("The sign-in service says: {reason}", { reason })}
        </Text>
      )}
    </LoginFrame>
  );
}

/** What Kratos says of an error that it no longer has. It explains nothing. */
function isUnknown(reason: string): boolean {
  return reason.startsWith("Unable to locate the resource");
}
