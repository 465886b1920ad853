import { ChoiceButtons } from '../../components/choice-buttons.tsx'
import { ChoiceSelect } from '../../components/choice-select.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'

export type InboxView = 'all' | 'new'

const ALL_CATEGORIES = ''

type InboxFiltersProps = {
  view: InboxView
  newCount: number
  onView(view: InboxView): void
  category: string | null
  /** Categories to choose from, if there are several. */
  categories: readonly string[]
  onCategory(category: string | null): void
}

/** Shows all messages or only new ones, of all categories or of one. */
export function InboxFilters({
  view,
  newCount,
  onView,
  category,
  categories,
  onCategory,
}: InboxFiltersProps) {
  const { t } = useMessages()
  return (
    <search className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <ChoiceButtons<InboxView>
        label={t('messages.show')}
        value={view}
        options={[
          { value: 'all', label: t('messages.all') },
          { value: 'new', label: t('messages.newCount', { count: newCount }) },
        ]}
        onChange={onView}
      />
      {categories.length > 0 && (
        <ChoiceSelect
          compact
          label={t('messages.category')}
          value={category ?? ALL_CATEGORIES}
          options={[
            { value: ALL_CATEGORIES, label: t('messages.allCategories') },
            ...categories.map((name) => ({ value: name, label: name })),
          ]}
          onChange={(name) => onCategory(name === ALL_CATEGORIES ? null : name)}
          className="min-w-0 max-w-full max-sm:flex-auto"
        />
      )}
    </search>
  )
}
