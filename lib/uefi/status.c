/* SPDX-License-Identifier: MIT */
/* status.c — see status.h. */
#include "uefi/status.h"

#include <errno.h>
#include <stddef.h>

#include "base/cleanup.h"

/* UEFI 2.10 appendix D; the errno of each as Linux's efi_status_to_err gives it. */
static const struct {
	enum uefi_status status;
	int error;
	const char *name;
} statuses[] = {
	{UEFI_SUCCESS, 0, "EFI_SUCCESS"},
	{UEFI_INVALID_PARAMETER, -EINVAL, "EFI_INVALID_PARAMETER"},
	{UEFI_UNSUPPORTED, -EINVAL, "EFI_UNSUPPORTED"},
	{UEFI_BUFFER_TOO_SMALL, -EINVAL, "EFI_BUFFER_TOO_SMALL"},
	{UEFI_DEVICE_ERROR, -EIO, "EFI_DEVICE_ERROR"},
	{UEFI_WRITE_PROTECTED, -EROFS, "EFI_WRITE_PROTECTED"},
	{UEFI_OUT_OF_RESOURCES, -ENOSPC, "EFI_OUT_OF_RESOURCES"},
	{UEFI_VOLUME_CORRUPTED, -EINVAL, "EFI_VOLUME_CORRUPTED"},
	{UEFI_NOT_FOUND, -ENOENT, "EFI_NOT_FOUND"},
	{UEFI_ACCESS_DENIED, -EINVAL, "EFI_ACCESS_DENIED"},
	{UEFI_ABORTED, -EINTR, "EFI_ABORTED"},
	{UEFI_SECURITY_VIOLATION, -EACCES, "EFI_SECURITY_VIOLATION"},
};

int uefi_status_errno(enum uefi_status status)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		if (statuses[i].status == status)
			return statuses[i].error;
	}
	return -EINVAL;
}

const char *uefi_status_name(enum uefi_status status)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		if (statuses[i].status == status)
			return statuses[i].name;
	}
	return "an unknown EFI status";
}
