import { FILE_MAX_BYTES } from '@pigeonhole/client/limits'
import { Camera, FolderUp, Upload } from 'lucide-react'
import { lazy, type RefObject, Suspense, useRef } from 'react'
import { Button } from '../components/button.tsx'
import { Menu, MenuItem } from '../components/menu.tsx'
import { loadScript } from '../context/load-script.ts'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { preloadOfflineDialogs } from '../layout/use-offline-dialogs.ts'
import { FileInput } from './file-input.tsx'
import { ACCEPT, pickFiles } from './file-picker.ts'
import { preloadUploadTray } from './lazy-upload-tray.tsx'
import { useAddFiles } from './use-add-files.ts'

// A separate script, because few users need it.
const ConfirmEmail = lazy(async () => ({
  default: (await loadScript(() => import('./confirm-email.tsx'))).ConfirmEmail,
}))

type AddFilesProps = {
  /** Shows one button with a menu instead of an area with three buttons. */
  compact?: boolean
  /** True if hardly any file would fit, so that the page does not invite users to upload. */
  isFull: boolean
}

/** Opens the file picker, the folder picker or, on phones, the camera. */
export function AddFiles({ compact = false, isFull }: AddFilesProps) {
  const { t, format } = useMessages()
  const { mustVerify } = useSession().user
  const addFiles = useAddFiles()
  const filesInput = useRef<HTMLInputElement>(null)
  const folderInput = useRef<HTMLInputElement>(null)
  const cameraInput = useRef<HTMLInputElement>(null)

  const variant = isFull ? 'secondary' : 'primary'
  const allowed = t('addFiles.allowed', { maxSize: format.bytes(FILE_MAX_BYTES) })

  async function chooseFiles() {
    preload()
    const picked = await pickFiles()
    if (picked) addFiles(picked)
    else filesInput.current?.click()
  }

  function openInput(input: RefObject<HTMLInputElement | null>) {
    preload()
    input.current?.click()
  }

  const inputs = (
    <>
      <FileInput
        ref={filesInput}
        label={t('addFiles.filesInput')}
        accept={ACCEPT}
        multiple
        onFiles={addFiles}
      />
      <FileInput ref={folderInput} label={t('addFiles.folderInput')} multiple folder onFiles={addFiles} />
      <FileInput
        ref={cameraInput}
        label={t('addFiles.camera')}
        accept="image/jpeg"
        camera
        onFiles={addFiles}
      />
    </>
  )
  if (compact)
    return (
      <div className="print:hidden">
        <Menu label={t('addFiles.upload')} icon={Upload} labeled={variant} sheetTitle={t('addFiles.upload')}>
          <MenuItem icon={Upload} hint={allowed} onClick={chooseFiles}>
            {t('addFiles.chooseFiles')}
          </MenuItem>
          <MenuItem icon={FolderUp} className="max-sm:hidden" onClick={() => openInput(folderInput)}>
            {t('addFiles.chooseFolder')}
          </MenuItem>
          <MenuItem
            icon={Camera}
            className="not-pointer-coarse:hidden"
            onClick={() => openInput(cameraInput)}
          >
            {t('addFiles.camera')}
          </MenuItem>
        </Menu>
        {inputs}
      </div>
    )

  // Every upload would fail.
  if (mustVerify)
    return (
      <Suspense>
        <ConfirmEmail />
      </Suspense>
    )

  return (
    <section
      aria-label={t('addFiles.title')}
      className="flex flex-col items-center gap-5 rounded-xl border-2 border-dashed border-line-strong bg-surface px-4 py-12 text-center sm:py-20 print:hidden"
    >
      <span className="flex size-14 items-center justify-center rounded-full bg-accent-soft text-accent">
        <Upload aria-hidden="true" className="size-6" />
      </span>
      <div>
        <p className="text-lg font-semibold text-balance">
          <span className="pointer-coarse:hidden">{t('addFiles.dropHint')}</span>
          <span className="not-pointer-coarse:hidden">{t('addFiles.title')}</span>
        </p>
        <p className="mt-1 text-sm text-balance text-ink-soft">{allowed}</p>
      </div>
      <div className="flex flex-wrap justify-center gap-2">
        <Button variant={variant} onClick={chooseFiles}>
          <Upload aria-hidden="true" className="size-4" />
          {t('addFiles.chooseFiles')}
        </Button>
        <Button className="max-sm:hidden" onClick={() => openInput(folderInput)}>
          <FolderUp aria-hidden="true" className="size-4" />
          {t('addFiles.chooseFolder')}
        </Button>
        <Button className="not-pointer-coarse:hidden" onClick={() => openInput(cameraInput)}>
          <Camera aria-hidden="true" className="size-4" />
          {t('addFiles.camera')}
        </Button>
      </div>
      {inputs}
    </section>
  )
}

/** Loads scripts while the user chooses files, because the start of an upload is busy. */
function preload() {
  preloadUploadTray()
  preloadOfflineDialogs()
}
