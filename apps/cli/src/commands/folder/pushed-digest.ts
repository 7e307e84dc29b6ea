/**
 * Returns the digest that an image has in its registry: the one that `docker push` printed. Other programs with the same commands print
 * none; then it is the only digest of this repository in `repoDigests`, the JSON of the image's RepoDigests. Undefined if it is not
 * known: an image that was pushed before may have an earlier digest as well.
 */
export function pushedDigest(image: string, printed: string, repoDigests: string): string | undefined {
  const reported = /\bdigest: (sha256:[0-9a-f]{64})\b/.exec(printed)?.[1];
  if (reported !== undefined) return reported;
  const repository = `${image.slice(0, image.lastIndexOf(":"))}@`;
  const known = (JSON.parse(repoDigests) as readonly string[] | null) ?? [];
  const [digest, ...others] = known.filter((each) => each.startsWith(repository)).map((each) => each.slice(repository.length));
  return others.length === 0 ? digest : undefined;
}
