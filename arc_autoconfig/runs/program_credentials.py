"""The credentials of an application, for the program that made it."""

from collections.abc import Sequence

from arc_core.interfaces.credentials import Credential, Credentials, LoginNeeded, Owner
from arc_core.runs.runs import Runs


class ProgramCredentials(Credentials):
    """Those of the slot; what a program puts ends the logins that runs wait for."""

    def __init__(self, credentials: Credentials, runs: Runs) -> None:
        self._credentials, self._runs = credentials, runs

    async def get(
        self,
        owner: Owner,
        service: str,
        *,
        rejected: Credential | None = None,
        scopes: Sequence[str] = (),
    ) -> Credential | LoginNeeded:
        """Return a credential that is good as far as is known; see `Credentials.get`."""
        return await self._credentials.get(owner, service, rejected=rejected, scopes=scopes)

    async def put(self, owner: Owner, service: str, credential: Credential) -> None:
        """Keep a credential, and let all runs go on that wait for it.

        Args:
            owner: Whose; a blank user is the whole tenant, if the service is one of tenants.
            service: The name of the service.
            credential: In the place of the one before.

        Raises:
            CredentialError: The owner cannot own one.
        """
        await self._credentials.put(owner, service, credential)
        user_id = owner.user_id.strip() or None
        await self._runs.end_logins(service, user_id=user_id, tenant_id=owner.tenant_id)

    async def remove(self, owner: Owner, service: str | None = None) -> int:
        """Forget a credential of an owner, or all of them; return how many there were."""
        return await self._credentials.remove(owner, service)
