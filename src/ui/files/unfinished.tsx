'use client'

import { reopen, type UploadSource } from '@pigeonhole/client/browser'
import { formatBytes } from '@pigeonhole/client/format'
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { passFocusOn } from '../parts/focus.ts'
import { Notice } from '../parts/notice.tsx'
import { useEngine, wordsFor } from '../shell/context.tsx'
import { type FileItem, useRefresh } from './queries.ts'
import { filesOfInput } from './take-files.ts'
import { TypeIcon } from './type-icon.tsx'
import { type Leftover, useLeftovers } from './use-leftovers.ts'

/** Uploads that an earlier visit, or another device, began: one click and they go on. */
export function Unfinished({ items }: { items: FileItem[] }) {
  const { leftovers, look } = useLeftovers(items)
  if (leftovers.length === 0) return null
  return (
    <Card
      title="Not finished yet"
      hint="What has arrived is kept; choose the same file if you are asked for it."
    >
      <ul className="divide-y divide-line">
        {leftovers.map((one) => (
          <LeftoverRow key={one.fileId} leftover={one} onChange={look} />
        ))}
      </ul>
    </Card>
  )
}

function LeftoverRow({ leftover, onChange }: { leftover: Leftover; onChange(): void }) {
  const { uploader, client } = useEngine()
  const refresh = useRefresh()
  const input = useRef<HTMLInputElement>(null)
  const row = useRef<HTMLLIElement>(null)
  const { fileId, name, size, mimeType, entry } = leftover

  function goOn(source: UploadSource) {
    leave()
    // Without a record of its own here, it is named; else the file is recognised.
    if (entry) uploader.upload(source)
    else uploader.resumeFrom(fileId, source)
    onChange()
  }

  function leave() {
    if (row.current) passFocusOn(row.current)
  }

  async function resume() {
    const source = entry && (await reopen(entry))
    if (source) goOn(source)
    else input.current?.click()
  }

  const discard = useMutation({
    mutationFn: async () => {
      if (entry) await uploader.discard(entry)
      else await client.upload.abortMultipart.mutate({ fileId })
    },
    onSuccess: leave,
    onSettled: () => {
      onChange()
      refresh()
    },
  })

  return (
    <li ref={row} className="flex flex-wrap items-center gap-3 px-4 py-3 sm:px-5">
      <TypeIcon mimeType={mimeType} />
      <div className="min-w-0 flex-1 basis-40">
        <p className="truncate text-left text-sm font-medium" title={name} dir="auto">
          {name}
        </p>
        <p className="text-sm text-ink-soft">
          {formatBytes(size)}
          {entry ? '' : ' · begun in another browser or on another device'}
        </p>
      </div>
      <div className="flex gap-2">
        <Button look="primary" onClick={resume} aria-label={`Resume ${name}`}>
          Resume
        </Button>
        <Button busy={discard.isPending} onClick={() => discard.mutate()} aria-label={`Discard ${name}`}>
          Discard
        </Button>
      </div>
      {discard.isError && (
        <Notice tone="error" className="w-full">
          {wordsFor(discard.error)}
        </Notice>
      )}
      <input
        ref={input}
        type="file"
        hidden
        aria-label={`Choose ${name} again`}
        onChange={(event) => {
          const [source] = filesOfInput(event.target.files)
          event.target.value = ''
          if (source) goOn(source)
        }}
      />
    </li>
  )
}
