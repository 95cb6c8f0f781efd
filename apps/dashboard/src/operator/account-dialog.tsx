import { Button, NumberInput, Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { call } from '../api/call.ts';
import type { Account } from '../api/operator.ts';
import { formatNumber } from '../format/number.ts';
import { Facts } from '../parts/facts.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useChange } from '../parts/use-change.ts';
import { accountChange, draftOfAccount, LIMITS } from './account-draft.ts';

/** Changes the limits of an account, gives it credits, closes it. */
export function AccountDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const form = useForm({ initialValues: draftOfAccount(account) });
  const save = useChange(
    () => call('updateAccount', { params: { id: account.id }, body: accountChange(account, form.values) }),
    { stale: ['listAccounts'], onDone: onClose },
  );
  return (
    <FormDialog
      title={account.name}
      size="lg"
      onClose={onClose}
      sent={save}
      onSubmit={() => save.mutate()}
      submit="Save"
      beside={
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      }
    >
      <Facts
        facts={[
          ['Id', <code>{account.id}</code>],
          [
            'Credits',
            `${formatNumber(account.credit_balance)}, ${formatNumber(account.credits_reserved)} of them reserved; ${formatNumber(account.credits_used)} used so far`,
          ],
        ]}
      />
      <NumberInput
        label="Add credits"
        description="A negative number removes free credits."
        placeholder="0"
        allowDecimal={false}
        thousandSeparator=","
        hideControls
        w={220}
        {...form.getInputProps('grant')}
      />
      <div className="row wrap bottom">
        {LIMITS.map(({ key, label }) => (
          <NumberInput
            key={key}
            label={label}
            min={0}
            allowDecimal={false}
            thousandSeparator=","
            hideControls
            w={180}
            {...form.getInputProps(`limits.${key}`)}
          />
        ))}
      </div>
      <Switch label="Its keys work" {...form.getInputProps('active', { type: 'checkbox' })} />
    </FormDialog>
  );
}
