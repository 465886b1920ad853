// node tests/support/prose/main.ts FILE ...: prints what to change in the English of these files.

import { proseProblems } from './check-prose.ts'
import { proseOf } from './texts.ts'

const problems = await proseProblems(process.argv.slice(2).flatMap(proseOf))
for (const { file, line, problem } of problems) console.log(`${file}:${line} ${problem}`)
