/**
 * Returns the results of `run` for 0 to `count - 1`, in order, with at most `most` running at once. For calls that wait
 * for each other in the database: with a hundred at once, the last ones time out on a busy machine.
 */
export async function atOnce<T>(most: number, count: number, run: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = new Array(count)
  let next = 0
  const worker = async () => {
    while (next < count) {
      const n = next++
      results[n] = await run(n)
    }
  }
  await Promise.all(Array.from({ length: most }, worker))
  return results
}
