import { Download, Ellipsis, Eye, FileText, Globe, Link2, Lock, Pencil, Share2, Trash2 } from 'lucide-react'
import { FileName } from '../../components/file-name.tsx'
import { Menu, MenuDivider, MenuItem, MenuLink } from '../../components/menu.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { useDeletions } from '../deletion/use-deletions.ts'
import { useFileDialogs } from '../dialogs/use-file-dialogs.ts'
import { useCopyLink } from '../use-copy-link.ts'
import { type FileItem, isHeld, isReady } from '../use-file-queries.ts'

/** All actions for a file. Actions with a dialog open it with `useFileDialogs`. */
export function FileMenu({ file }: { file: FileItem }) {
  const { id, filename } = file
  const { t } = useMessages()
  const open = useFileDialogs()
  const deletions = useDeletions()
  const { audience, copy } = useCopyLink(file)
  const isPublic = file.visibility === 'public'
  return (
    <Menu
      label={t('files.actions', { name: filename })}
      icon={Ellipsis}
      sheetTitle={<FileName hasLabel name={filename} />}
    >
      {!isHeld(file) && (
        <>
          <MenuItem icon={Eye} onClick={() => open('preview', file)}>
            {t('files.preview')}
          </MenuItem>
          <MenuLink icon={Download} href={`/files/${id}?download`} download>
            {t('files.download')}
          </MenuLink>
          <MenuItem icon={Share2} hint={t('files.shareHint')} onClick={() => open('share', file)}>
            {t('files.share')}
          </MenuItem>
        </>
      )}
      <MenuItem icon={Pencil} onClick={() => open('rename', file)}>
        {t('files.rename')}
      </MenuItem>
      {!isHeld(file) && (
        <MenuItem icon={Link2} hint={audience} onClick={copy}>
          {t(isPublic ? 'files.copyLink' : 'files.copyPrivateLink')}
        </MenuItem>
      )}
      <MenuItem icon={FileText} onClick={() => open('details', file)}>
        {t('files.details')}
      </MenuItem>
      {!file.visibilityFixed && isReady(file) && (
        <MenuItem
          icon={isPublic ? Lock : Globe}
          hint={t(isPublic ? 'files.isPublic' : 'files.isPrivate')}
          onClick={() => open('visibility', file)}
        >
          {t(isPublic ? 'files.makePrivate' : 'files.makePublic')}
        </MenuItem>
      )}
      <MenuDivider />
      <MenuItem icon={Trash2} danger onClick={() => deletions.add([id])}>
        {t('files.moveToTrash')}
      </MenuItem>
    </Menu>
  )
}
