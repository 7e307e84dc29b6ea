import { Anchor, Text } from "@mantine/core";
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
    <LoginFrame title={i18n.t("Signing in failed")} links={<Anchor href="/console">{i18n.t("Go to the console")}</Anchor>}>
      <Text role="alert">{reason || i18n.t("The sign-in service reported an error.")}</Text>
    </LoginFrame>
  );
}
