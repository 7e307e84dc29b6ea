import { Button, Group, TextInput, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type SubmitEvent, useEffect, useState } from "react";
import { i18n } from "../../i18n.ts";

/** The title of the pages of traces, with the field that leads to the trace of an id. */
export function TraceSearch({ id }: { readonly id: string }) {
  const navigate = useNavigate();
  const [text, setText] = useState(id);
  useEffect(() => setText(id), [id]);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted !== "") void navigate({ to: "/console/trace/$id", params: { id: wanted } });
  };
  return (
    <Group justify="space-between" align="center" mb="md">
      <Title order={1}>{i18n.t("Traces")}</Title>
      <form onSubmit={submit} className="trace-search">
        <Group gap="xs" wrap="nowrap">
          <TextInput
            size="xs"
            flex={1}
            aria-label={i18n.t("Request id or trace id")}
            placeholder={i18n.t("Request id or trace id")}
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" size="xs" variant="default">
            {i18n.t("Show")}
          </Button>
        </Group>
      </form>
    </Group>
  );
}
