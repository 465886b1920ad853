type Named = { name: string; size: number }

/** Pairs each file with an upload of the same name and size. `rest`: the files without one. */
export function matchFiles<U extends Named, F extends Named>(
  uploads: U[],
  files: F[],
): { matched: [U, F][]; rest: F[] } {
  const free = [...uploads]
  const matched: [U, F][] = []
  const rest: F[] = []
  for (const file of files) {
    const index = free.findIndex(({ name, size }) => name === file.name && size === file.size)
    if (index === -1) rest.push(file)
    else matched.push([...free.splice(index, 1), file] as [U, F])
  }
  return { matched, rest }
}
