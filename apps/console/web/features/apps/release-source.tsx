import { Anchor, Text } from "@mantine/core";
import type { AppDetails } from "../../api/queries.ts";
import { i18n } from "../../i18n.ts";

type Source = NonNullable<AppDetails["releases"][number]["source"]>;

/** The run of the pipeline that registered a release. A token of the pipeline chose the texts. */
export function ReleaseSource({ source: { repository, commit, ref, runUrl } }: { readonly source: Source }) {
  const isLink = runUrl != null && /^https?:\/\//.test(runUrl);
  return (
    <Text size="sm" c="dimmed" className="wrap">
      {i18n.t("from {source}", { source: [repository, commit?.slice(0, 12), ref].filter(Boolean).join(" ") })}
      {isLink && (
        <>
          {", "}
          <Anchor href={runUrl} target="_blank" rel="noopener noreferrer" underline="always" size="sm">
            {i18n.t("run of the pipeline")}
          </Anchor>
        </>
      )}
    </Text>
  );
}
